import { type Copy, DockerfileParser, type From, type JSONInstruction } from 'dockerfile-ast';
import { parseImage } from '#lib/workflow/model/reference.ts';
import { MAX_DOCKERFILE } from './limits.ts';

export interface DockerfileContents {
  readonly unpinned: readonly string[];
  readonly scripts: readonly { readonly text: string; readonly line: number }[];
  readonly commands: readonly string[];
}

const MAX_INSTRUCTIONS = 500;

export function readDockerfile(text: string): DockerfileContents | undefined {
  if (text.length > MAX_DOCKERFILE) return undefined;
  const unpinned: string[] = [];
  const scripts: { text: string; line: number }[] = [];
  const commands: string[] = [];
  const stages = new Set(['scratch']);
  const defaults = new Map<string, string>();
  const instructions = DockerfileParser.parse(text).getInstructions();
  if (instructions.length > MAX_INSTRUCTIONS) return undefined;
  for (const instruction of instructions) {
    const written = instruction.getRawArgumentsContent() ?? '';
    const line = instruction.getRange().start.line + 1;
    switch (instruction.getKeyword()) {
      case 'ARG': {
        const [, name, value] = /^(\w{1,100})=["']?([^"'\s]{0,300})/.exec(written) ?? [];
        if (name !== undefined && value !== undefined) defaults.set(name, value);
        break;
      }
      case 'FROM': {
        const from = instruction as From;
        const image = expand(from.getImage() ?? '', defaults);
        if (isUnpinned(image, stages)) unpinned.push(image);
        stages.add(from.getBuildStage()?.toLowerCase() ?? '');
        break;
      }
      case 'COPY': {
        const image = expand((instruction as Copy).getFromFlag()?.getValue() ?? '', defaults);
        if (!/^\d*$/.test(image) && isUnpinned(image, stages)) unpinned.push(image);
        break;
      }
      case 'RUN':
        scripts.push({ text: scriptOf(instruction as unknown as JSONInstruction, written), line });
        break;
      case 'ENTRYPOINT':
      case 'CMD':
        commands.push(...wordsOf(instruction as unknown as JSONInstruction, written));
        break;
      default:
    }
  }
  return { unpinned, scripts, commands };
}

function isUnpinned(image: string, stages: ReadonlySet<string>): boolean {
  return image !== '' && !stages.has(image.toLowerCase()) && parseImage(image).digest === undefined;
}

function expand(text: string, defaults: ReadonlyMap<string, string>): string {
  return text
    .slice(0, 500)
    .replace(/\$\{(\w{1,100})(?::-([^}]{0,200}))?\}|\$(\w{1,100})/g, (whole, braced, otherwise, bare) => {
      return defaults.get((braced ?? bare) as string) ?? (otherwise as string | undefined) ?? whole;
    });
}

function scriptOf(instruction: JSONInstruction, written: string): string {
  const words = instruction.getJSONStrings().map((word) => word.getJSONValue());
  if (words.length > 0)
    return /^(?:.*\/)?(?:ba|da|z)?sh$/.test(words[0] ?? '') ? (words.at(-1) ?? '') : words.join(' ');
  const heredoc = /^<<-?["']?(\w{1,50})["']?[ \t]*\n([^]*)$/.exec(written);
  if (heredoc !== null) return (heredoc[2] ?? '').split(`\n${heredoc[1]}`)[0] ?? '';
  return written.replace(/\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*/g, ' ');
}

function wordsOf(instruction: JSONInstruction, written: string): string[] {
  const words = instruction.getJSONStrings().map((word) => word.getJSONValue());
  return words.length > 0 ? words : written.split(/\s+/);
}

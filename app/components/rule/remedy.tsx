import type { ShownExample } from '#lib/services/pages/shown-example.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { DiffTable } from '../domain/diff-table.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Section } from '../ui/frame.tsx';

interface Props {
  readonly recommendation: string;
  readonly example: ShownExample | undefined;
}

export function Remedy({ recommendation, example }: Props) {
  const [file] = example?.files ?? [];
  const fixed = example?.fixed;
  return (
    <Section id="remedy" title="What to do">
      <p className="max-w-[70ch]">
        <RuleText text={recommendation} />
      </p>
      {file !== undefined && fixed !== undefined && (
        <div className="mt-4 space-y-4">
          <DiffTable label="Automatic fix of the example" before={file.text} after={fixed.text} />
          <Disclosure title="The whole example, fixed">
            <CodeSnippet label={`Fixed: ${file.path}`} code={fixed.text} numbered />
          </Disclosure>
        </div>
      )}
    </Section>
  );
}

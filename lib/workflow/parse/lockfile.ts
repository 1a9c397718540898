import type { LockedAction, Lockfile, ParsedFile, Workflow } from '../model/model.ts';
import { parseReference } from '../model/reference.ts';
import type { SourceFile } from '../text/source.ts';
import { parseYaml, valueOf, type YamlEntry, type YamlMapping } from '../yaml/parse.ts';
import { textOf, textsOf, toText } from './fields.ts';

/** Supported version of the format: https://github.com/github/actions-lockfile */
const VERSION = 'v0.0.2';

const COMMIT = /^(?:sha1-([0-9a-f]{40})|sha256-([0-9a-f]{64}))$/;

export function parseLockfile(source: SourceFile): ParsedFile<Lockfile> {
  const { root, diagnostics } = parseYaml(source.text);
  if (root?.kind !== 'mapping') return { source, definition: undefined, diagnostics };
  const version = textOf(root, 'version');
  return {
    source,
    diagnostics,
    definition: {
      kind: 'lockfile',
      source,
      root,
      version,
      versionKnown: version?.value === VERSION,
      workflows: new Map(
        entriesOf(root, 'workflows').map(({ key, value }) => [
          key.text,
          { key, pins: textsOf(value).map((text) => ({ text, pin: canonicalPin(text.value) })) },
        ]),
      ),
      actions: new Map(
        entriesOf(root, 'dependencies').flatMap((entry): [string, LockedAction][] => {
          const pin = canonicalPin(entry.key.text);
          return pin === undefined ? [] : [[pin, lockedAction(entry, pin)]];
        }),
      ),
    },
  };
}

function entriesOf(root: YamlMapping, key: string): YamlEntry[] {
  const node = valueOf(root, key);
  return node?.kind === 'mapping' ? [...node.entries.values()] : [];
}

function lockedAction({ key, value }: YamlEntry, pin: string): LockedAction {
  const commit = textOf(value, 'commit');
  const [, sha1, sha256] = COMMIT.exec(commit?.value ?? '') ?? [];
  return {
    key,
    slug: pin.slice(0, pin.indexOf('@')),
    wantedRef: pin.slice(pin.indexOf('@') + 1),
    ref: textOf(value, 'ref'),
    commit: commit && { text: commit, hash: sha1 ?? sha256 },
    ownerId: toText(valueOf(value, 'owner_id')),
    repositoryId: toText(valueOf(value, 'repo_id')),
    uses: textsOf(valueOf(value, 'uses')).map((text) => ({ text, pin: canonicalPin(text.value) })),
  };
}

export function canonicalPin(text: string): string | undefined {
  const reference = parseReference(text);
  if (reference?.kind !== 'repository' || reference.path !== '' || reference.ref === '') return undefined;
  return `${reference.slug}@${reference.ref}`;
}

export function isLocked(lockfile: Lockfile | undefined, workflow: Workflow, pin: string): boolean {
  if (lockfile?.versionKnown !== true || lockfile.actions.get(pin)?.commit?.hash === undefined) return false;
  return lockfile.workflows.get(workflow.source.path)?.pins.some((listed) => listed.pin === pin) === true;
}

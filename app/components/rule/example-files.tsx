import type { ShownExample } from '#lib/services/pages/shown-example.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { RuleLink } from '../domain/rule-link.tsx';
import { SeverityChip } from '../domain/severity-chip.tsx';

interface Props {
  readonly example: ShownExample;
  readonly name: string;
}

const COMMIT = /\b[0-9a-f]{40}\b/g;

export function ExampleFiles({ example: { given, files, findings }, name }: Props) {
  return (
    <div className="space-y-4">
      {given.length > 0 && (
        <div className="text-sm">
          <p>Given:</p>
          <ul className="list-disc ps-5">
            {given.map((fact) => (
              <li key={fact} className="break-words">
                {fact.replace(COMMIT, (commit) => commit.slice(0, 7))}
              </li>
            ))}
          </ul>
        </div>
      )}
      {files.map(({ path, text, marked }) => (
        <CodeSnippet key={path} label={`${name}: ${path}`} code={text} marked={marked} numbered />
      ))}
      {findings.length > 0 && (
        <ul className="space-y-3 text-sm sm:space-y-2">
          {findings.map(({ severity, description, path, line, ruleId }) => (
            <li
              key={`${path}:${line}:${description}`}
              className="grid gap-x-3 gap-y-1 sm:grid-cols-[6.5rem_1fr] sm:items-baseline"
            >
              <SeverityChip severity={severity} className="justify-self-start" />
              <p className="min-w-0 break-words">
                <span className="font-semibold">
                  {line === null ? 'The setting' : files.length === 1 ? `Line ${line}` : `${path}, line ${line}`}:
                </span>{' '}
                {description}
                {ruleId !== undefined && (
                  <>
                    {' '}
                    <RuleLink id={ruleId} />
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

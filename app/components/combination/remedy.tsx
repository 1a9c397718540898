import type { CombinationPage } from '#lib/services/pages/combination-page.ts';
import type { ShownExample, ShownFile } from '#lib/services/pages/shown-example.ts';
import { plural } from '../../numbers.ts';
import { CodeSnippet } from '../domain/code-snippet.tsx';
import { DiffTable } from '../domain/diff-table.tsx';
import { RuleLinks } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { ExampleFiles } from '../rule/example-files.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Section } from '../ui/frame.tsx';

export function BreakChain({
  breakChain,
  breakRules,
  bad: [bad],
  good: [good, ...others],
}: Pick<CombinationPage, 'breakChain' | 'breakRules' | 'bad' | 'good'>) {
  return (
    <Section id="remedy" title="How to break it">
      <p className="max-w-[70ch]">
        <RuleText text={breakChain} />
      </p>
      <p className="mt-2 max-w-[70ch] text-sm text-muted">
        The chain is broken once these rules report nothing: <RuleLinks ids={breakRules} />
      </p>
      {bad !== undefined && good !== undefined && <Corrected bad={bad} good={good} />}
      {others.length > 0 && (
        <Disclosure
          title={plural(others.length, { one: '1 more fixed example', other: '# more fixed examples' })}
          className="mt-4"
        >
          <div className="space-y-8">
            {others.map((example, index) => (
              <ExampleFiles key={index} example={example} name={`Fixed ${index + 2}`} />
            ))}
          </div>
        </Disclosure>
      )}
    </Section>
  );
}

function Corrected({ bad, good }: { readonly bad: ShownExample; readonly good: ShownExample }) {
  const before = new Map(bad.files.map(({ path, text }) => [path, text]));
  const changed = good.files.filter(({ path, text }) => before.get(path) !== text);
  if (changed.length === 0) {
    return (
      <div className="mt-4 text-sm">
        <p>The example’s files need no change. The chain is broken when this no longer applies:</p>
        <ul className="mt-1 list-disc ps-5">
          {bad.given.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div className="mt-4 space-y-4">
      <p className="text-sm">In the example:</p>
      {changed.map((file) => (
        <Change key={file.path} file={file} before={before.get(file.path)} />
      ))}
      <Disclosure title="The whole example, fixed">
        <div className="space-y-4">
          {good.files.map(({ path, text }) => (
            <CodeSnippet key={path} label={`Fixed: ${path}`} code={text} numbered />
          ))}
        </div>
      </Disclosure>
    </div>
  );
}

function Change({ file: { path, text }, before }: { readonly file: ShownFile; readonly before: string | undefined }) {
  if (before === undefined) return <CodeSnippet label={`Fixed: ${path}`} code={text} numbered />;
  return <DiffTable label={`What changes in ${path}`} before={before} after={text} />;
}

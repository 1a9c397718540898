import type { ShownExample } from '#lib/services/pages/shown-example.ts';
import { plural } from '../../numbers.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Section } from '../ui/frame.tsx';
import { ExampleFiles } from './example-files.tsx';

interface Props {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly examples: readonly ShownExample[];
}

export function Examples({ id, title, name, examples: [first, ...others] }: Props) {
  if (first === undefined) return null;
  return (
    <Section id={id} title={title}>
      <ExampleFiles example={first} name={name} />
      {others.length > 0 && (
        <Disclosure title={plural(others.length, { one: '1 more example', other: '# more examples' })} className="mt-4">
          <div className="space-y-8">
            {others.map((example, index) => (
              <ExampleFiles key={index} example={example} name={`${name} ${index + 2}`} />
            ))}
          </div>
        </Disclosure>
      )}
    </Section>
  );
}

import { clsx } from 'clsx';
import { CopiedCode } from '../domain/copied-code.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import type { ApiOperation, Field } from './reference.ts';

const ACCESS = {
  public: 'No authentication.',
  user: 'Needs the access token of a signed-in user.',
  cron: 'Needs the scheduler’s secret.',
  webhook: 'Needs the signature of the code host.',
} as const;

export function OperationDetails({ operation }: { readonly operation: ApiOperation }) {
  const { id, verb, path, summary, description, access, parameters, body, answers, curl } = operation;
  return (
    <article aria-labelledby={id} className="border-t border-line py-8">
      <h3 id={id} className="font-semibold">
        <a href={`#${id}`} className="text-fg no-underline hover:underline">
          {summary}
        </a>
      </h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 font-mono text-sm">
        <Verb verb={verb} />
        <span className="min-w-0 wrap-anywhere">{path}</span>
      </p>
      <p className="mt-2 text-sm text-muted">{ACCESS[access]}</p>
      {description !== '' && (
        <p className="mt-2 max-w-[75ch] text-sm">
          <RuleText text={description} />
        </p>
      )}
      <div className="mt-4 space-y-4">
        <CopiedCode language="text" label={`Call ${id}`} code={curl} copy="Copy" />
        {parameters.length > 0 && <Fields label={`Parameters of ${id}`} title="Parameters" fields={parameters} />}
        {body.length > 0 && <Fields label={`Body of ${id}`} title="Body" fields={body} />}
        <details className="rounded-panel border border-line">
          <summary className="cursor-pointer rounded-panel px-4 py-2.5 text-sm font-medium hover:bg-subtle">
            {`Answers: ${answers.map(({ status }) => status).join(', ')}`}
            <span className="sr-only">{` of ${id}`}</span>
          </summary>
          <dl className="space-y-4 border-t border-line p-4 text-sm">
            {answers.map((answer) => (
              <div key={answer.status}>
                <dt className="font-mono font-semibold">{answer.status}</dt>
                <dd className="mt-1 space-y-2">
                  <p>
                    <RuleText text={answer.description} />
                  </p>
                  {answer.fields.length > 0 && (
                    <Fields label={`Answer ${answer.status} of ${id}`} title="Fields" fields={answer.fields} />
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </article>
  );
}

export function Verb({ verb }: { readonly verb: string }) {
  return (
    <span
      className={clsx(
        'rounded-control px-2 py-0.5 text-xs font-semibold',
        verb === 'GET' ? 'bg-low-soft text-low' : verb === 'DELETE' ? 'bg-high-soft text-high' : 'bg-ok-soft text-ok',
      )}
    >
      {verb}
    </span>
  );
}

interface FieldsProps {
  readonly label: string;
  readonly title: string;
  readonly fields: readonly (Field & { readonly place?: string })[];
}

function Fields({ label, title, fields }: FieldsProps) {
  return (
    <ScrollRegion as="section" label={label} group className="overflow-x-auto rounded-panel border border-line">
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="bg-subtle text-xs text-muted">
            <th scope="col" className="px-3 py-2">
              {title}
            </th>
            <th scope="col" className="px-3 py-2">
              Type
            </th>
            <th scope="col" className="px-3 py-2">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, type, required, description, place }) => (
            <tr key={`${place} ${name}`} className="border-t border-line align-top">
              <th scope="row" className="px-3 py-2 font-mono text-xs font-normal">
                {name}
                {!required && <span className="font-sans text-muted"> (optional)</span>}
              </th>
              <td className="max-w-64 px-3 py-2 font-mono text-xs break-words text-muted">{type}</td>
              <td className="min-w-48 px-3 py-2">
                {place !== undefined && <span className="text-muted">{`In the ${place}. `}</span>}
                <RuleText text={description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

'use client';

import { SyncIcon } from '@primer/octicons-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { HardenRequest } from '#lib/services/hardening/harden.ts';
import type { Severity } from '../../messages.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Icon } from '../ui/octicon.tsx';
import { useSeconds } from '../ui/use-seconds.ts';
import { CATEGORIES, CategoryChoice } from './category-choice.tsx';
import { useFileDrop } from './use-file-drop.ts';
import { useHarden } from './use-harden.ts';
import { nameFor, textOf, useWorkflowText } from './use-workflow-text.ts';

const DEFAULT_NAME = 'workflow.yml';

const HardenProblem = lazy(async () => ({ default: (await import('./harden-problem.tsx')).HardenProblem }));
const Result = lazy(async () => ({ default: (await import('./result.tsx')).Result }));

interface Props {
  readonly host: string;
  readonly maxBytes: number;
  /** Passed from the server to keep it out of the scripts. */
  readonly sample: string;
  readonly initial: string;
  readonly severities: Readonly<Record<string, Severity>>;
}

export function Harden({ host, maxBytes, sample, initial, severities }: Props) {
  const { area, read, write, show } = useWorkflowText();
  const { state, send, refuse, cancel } = useHarden();
  const [filename, setFilename] = useState(DEFAULT_NAME);
  const [categories, setCategories] = useState<ReadonlySet<string>>(() => new Set(CATEGORIES));
  const [includeReview, setIncludeReview] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const [optionsOpen, setOptionsOpen] = useState(false);
  const running = state.kind === 'running';

  const open = async (file: File) => {
    if (file.size > maxBytes) return refuse({ code: 'too-large' });
    const text = await textOf(file);
    if (text === null) return refuse({ code: 'not-text' });
    cancel();
    write(text);
    setFilename(nameFor(file));
    area.current?.focus();
  };
  useFileDrop((file) => void open(file));
  const submit = (chosen: ReadonlySet<string>, review = includeReview) => {
    if (running) return;
    const workflow = read();
    if (chosen.size === 0) return refuse({ code: 'no-category' });
    if (new TextEncoder().encode(workflow).length > maxBytes) return refuse({ code: 'too-large' });
    send({
      workflow,
      filename: filename.trim() || DEFAULT_NAME,
      ...(chosen.size < CATEGORIES.length && { categories: [...chosen] as NonNullable<HardenRequest['categories']> }),
      ...(review && { include_review: true }),
    });
  };

  return (
    <>
      <form
        className="needs-script space-y-6 rounded-panel border border-line bg-subtle p-4 sm:p-6"
        onSubmit={(event) => {
          event.preventDefault();
          submit(categories);
        }}
      >
        <div>
          <div className="mb-2 flex flex-wrap items-center gap-2">
            <label htmlFor="workflow" className="me-auto text-sm font-semibold">
              Workflow file
            </label>
            <Button onClick={() => picker.current?.click()}>Open file</Button>
            <input
              ref={picker}
              type="file"
              accept=".yml,.yaml"
              hidden
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                if (file !== undefined) void open(file);
                currentTarget.value = '';
              }}
            />
            <Button
              onClick={() => {
                cancel();
                write(sample);
                setFilename(DEFAULT_NAME);
              }}
            >
              Try a sample
            </Button>
          </div>
          <textarea
            id="workflow"
            ref={area}
            required
            defaultValue={initial}
            wrap="off"
            rows={16}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby="workflow-hint"
            aria-invalid={(state.kind === 'refused' && state.refused.code === 'not-a-workflow') || undefined}
            className="block w-full resize-y rounded-control border border-control bg-page p-3 font-mono text-xs leading-[1.6] text-fg"
          />
          <p id="workflow-hint" className="mt-2 text-sm text-muted">
            Paste it, or drop a file on the page. Up to {maxBytes / 1024} KiB.
          </p>
        </div>
        <div className="space-y-4">
          <div className="text-sm">
            <label className="flex min-h-8 items-center gap-2 font-semibold">
              <input
                type="checkbox"
                checked={includeReview}
                onChange={({ currentTarget }) => setIncludeReview(currentTarget.checked)}
                aria-describedby="review-hint"
                className="size-4 shrink-0 accent-accent"
              />
              Also apply changes that need review
            </label>
            <p id="review-hint" className="ps-6 text-muted">
              These can change how the workflow behaves, for example by removing permissions. Check each before you
              commit.
            </p>
          </div>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" aria-disabled={running} className="min-h-11 px-5">
              {running ? 'Hardening' : 'Harden'}
            </Button>
            {running && (
              <Button className="min-h-11" onClick={cancel}>
                Cancel
              </Button>
            )}
          </div>
          {state.kind === 'running' && <Progress filename={state.filename} host={host} looksUp={state.looksUp} />}
          {state.kind === 'refused' && (
            <Suspense>
              <HardenProblem
                refused={state.refused}
                maxBytes={maxBytes}
                looksUp={categories.has('CICD-SEC-3')}
                onShow={show}
                onLeaveOut={() => {
                  const others = new Set([...categories].filter((category) => category !== 'CICD-SEC-3'));
                  setCategories(others);
                  submit(others);
                }}
              />
            </Suspense>
          )}
        </div>
        <details
          open={optionsOpen || needsOptions(state)}
          onToggle={({ currentTarget }) => setOptionsOpen(currentTarget.open)}
          className="rounded-control border border-line bg-page"
        >
          <summary className="cursor-pointer rounded-control px-4 py-2.5 text-sm font-medium hover:bg-subtle">
            Options: file name, and which fixes
          </summary>
          <div className="space-y-6 border-t border-line p-4">
            <Field label="File name" className="max-w-md">
              <Input
                value={filename}
                onChange={({ currentTarget }) => setFilename(currentTarget.value)}
                maxLength={200}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
            </Field>
            <CategoryChoice chosen={categories} onChange={setCategories} />
          </div>
        </details>
      </form>
      {state.kind === 'done' && (
        <Suspense>
          <Result
            hardened={state.hardened}
            severities={severities}
            onReview={
              includeReview
                ? undefined
                : () => {
                    setIncludeReview(true);
                    submit(categories, true);
                  }
            }
          />
        </Suspense>
      )}
    </>
  );
}

function needsOptions(state: ReturnType<typeof useHarden>['state']): boolean {
  if (state.kind !== 'refused') return false;
  const { code, errors } = state.refused;
  return code === 'no-category' || errors?.some(({ path }) => path === 'filename') === true;
}

function Progress({
  filename,
  host,
  looksUp,
}: {
  readonly filename: string;
  readonly host: string;
  readonly looksUp: boolean;
}) {
  const seconds = useSeconds();
  return (
    <div className="rounded-panel border border-line bg-page px-4 py-3 text-sm">
      <p role="status" className="flex gap-2 font-semibold">
        <Icon of={SyncIcon} className="mt-[3px] shrink-0 animate-spin text-accent" />
        <span className="me-auto wrap-anywhere">Hardening {filename}</span>
        <span aria-hidden="true" className="font-normal text-muted tabular-nums">
          {seconds} s
        </span>
      </p>
      <p className="mt-1 text-muted">
        {looksUp
          ? `Looking up action versions at ${host} (up to ten seconds), then applying and checking fixes (up to ten more).`
          : 'Applying and checking fixes (up to ten seconds).'}
      </p>
    </div>
  );
}

import type { Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { CommandFileWrite } from '#lib/workflow/shell/command-files.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { firstWith } from '../checkouts/placed-files.ts';
import { taintsOfSource } from '../dataflow/taint.ts';
import { isMultiline, type Taint } from '../dataflow/taint-order.ts';
import { type ScriptSource, sourcesOfCommand, sourcesOfWrite } from '../values/value-sources.ts';
import { untrustedFilesBefore } from './untrusted-files.ts';

export interface TaintedSource {
  readonly source: string;
  readonly kind: 'event' | 'file' | 'query';
  readonly writer: Taint['writer'];
  readonly reach: Taint['reach'];
  readonly multiline: boolean;
  readonly certain: boolean;
  readonly checked?: ScriptSource['checked'];
}

export function originsOfWrite(write: CommandFileWrite, step: Step, repository: Repository): TaintedSource[] {
  return originsOf(sourcesOfWrite(write, step), step, repository);
}

export function originsOfCommand(command: ShellCommand, step: Step, repository: Repository): TaintedSource[] {
  return originsOf(sourcesOfCommand(command, step), step, repository);
}

function originsOf(sources: readonly ScriptSource[], step: Step, repository: Repository): TaintedSource[] {
  const origins = sources.flatMap((source) => {
    const found = originsOfSource(source, source.writtenIn ?? step, repository);
    const { oneLine, checked } = source;
    if (checked === 'number' && firstWith('./1', untrustedFilesBefore(step, repository), step) === undefined) return [];
    return oneLine ? found.map((origin) => ({ ...origin, multiline: false, checked })) : found;
  });
  return origins.sort((a, b) => weight(b) - weight(a));
}

function originsOfSource(source: ScriptSource, step: Step, repository: Repository): TaintedSource[] {
  switch (source.kind) {
    case 'expression':
    case 'variable':
    case 'payload':
      return taintsOfSource(source, step, repository).map(fromTaint);
    case 'file':
      return fileOrigins(source.operand, step, repository);
    case 'query': {
      const taints = taintsOfSource(source, step, repository);
      const { source: name, multiline } = source.query;
      if (!taints.some(({ reach }) => reach === 'outsider-privileged')) return [];
      return [
        { source: name, multiline, kind: 'query', writer: 'outsider', reach: 'outsider-privileged', certain: true },
      ];
    }
  }
}

function fileOrigins(operand: string, step: Step, repository: Repository): TaintedSource[] {
  const files = firstWith(operand, untrustedFilesBefore(step, repository), step);
  if (files === undefined) return [];
  return [
    {
      source: files.from === 'artifact' ? `the artifact’s file ${operand}` : `the pull request’s file ${operand}`,
      kind: 'file',
      writer: 'outsider',
      reach: 'outsider-privileged',
      multiline: true,
      certain: files.certain,
    },
  ];
}

function weight({ writer, reach, multiline, certain }: TaintedSource): number {
  const person = writer === 'outsider' ? 8 : writer === 'contributor' ? 4 : 0;
  return person + (reach === 'outsider-privileged' ? 2 : 0) + (multiline ? 1 : 0) + (certain ? 0.5 : 0);
}

function fromTaint(taint: Taint): TaintedSource {
  return {
    source: [...taint.via, taint.source].at(-1) as string,
    kind: 'event',
    writer: taint.writer,
    reach: taint.reach,
    multiline: isMultiline(taint),
    certain: true,
  };
}

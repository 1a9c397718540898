import { AppError, type ErrorCode, type FieldError } from '#lib/errors.ts';
import { TASKS, type TaskCall, type TaskName, type TaskResult } from './tasks.ts';

export type Outcome<T> =
  | { readonly value: T }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly errors?: readonly FieldError[];
      };
    }
  | { readonly broken: Bug };

/** An unexpected error. Its message is left out because it can quote a file. */
interface Bug {
  readonly name: string;
  readonly frames: string;
}

export function perform<Name extends TaskName>({ name, input }: TaskCall<Name>): Outcome<TaskResult<Name>> {
  try {
    const run = TASKS[name] as (...given: unknown[]) => TaskResult<Name>;
    return { value: run(...input) };
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, errors } = error;
      return { refused: { code, message, ...(errors === undefined ? {} : { errors }) } };
    }
    return { broken: bugOf(error) };
  }
}

export function valueOf<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  if ('refused' in outcome) {
    const { code, message, errors } = outcome.refused;
    throw new AppError(code, message, { errors });
  }
  throw failureOf(outcome.broken);
}

export function bugOf(error: unknown): Bug {
  if (!(error instanceof Error)) return { name: 'Unknown', frames: '' };
  const { name, stack = '' } = error;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { name, frames: frames.slice(0, 8).join('\n') };
}

export function failureOf({ name, frames }: Bug): AppError {
  const cause = Object.assign(new Error('The message can quote a file.'), { name, stack: `${name}\n${frames}` });
  return new AppError('internal', 'A task failed.', { cause });
}

import { enterpriseServer, GITHUB_COM } from '#lib/workflow/model/platform.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { createRepository, type InputFile } from '#lib/workflow/repository.ts';
import type { Example } from '../engine/rule.ts';

export interface ReadableExample {
  readonly text: string;
  readonly marked: readonly number[];
}

export function repositoryOf({ repository, hostVersion }: Example, files: readonly InputFile[]): Repository {
  const platform = hostVersion === undefined ? GITHUB_COM : enterpriseServer(hostVersion);
  if (platform === undefined) throw new Error(`${hostVersion} is no version of a server.`);
  return createRepository(files, repository, { platform });
}

const MARK = /^( *(- )?)# expect: /;

export function readExample(source: string): ReadableExample {
  const lines: string[] = [];
  const marked = new Set<number>();
  for (const line of source.split('\n')) {
    const mark = MARK.exec(line);
    if (mark === null) lines.push(line);
    else {
      const [, before = '', dash] = mark;
      if (dash !== undefined) lines.push(before.trimEnd());
      marked.add(lines.length + 1);
    }
  }
  return { text: `${lines.join('\n').trimEnd()}\n`, marked: [...marked] };
}

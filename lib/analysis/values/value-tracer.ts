import { type Expression, type ExpressionNode, flowingAccesses } from '#lib/workflow/expressions/expression.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { WrittenWord } from '#lib/workflow/shell/command-files.ts';
import { RepositoryMemo } from '../memo.ts';
import {
  type Access,
  definitionsOf,
  type Place,
  type SourceDefinition,
  type TextDefinition,
  textDefinition,
  type ValueDefinition,
  type WordsDefinition,
} from './definitions.ts';
import { type ScriptSource, sourcesOfWord, sourcesOfWrite } from './value-sources.ts';

/** An access and the fields read from its value: `head.sha` in `fromJSON(inputs.pr).head.sha`. */
export interface Mentioned extends Access {
  readonly fields?: string;
}

export type Mention<Found> = Mentioned | ValueDefinition | { readonly found: Found };

export interface Context {
  readonly within: string;
  readonly fields: string;
}

export interface Goal<Found> {
  found(source: SourceDefinition, repository: Repository, context: Context): readonly Found[];
  accesses?(node: ExpressionNode, place: Place): readonly Mentioned[];
  words?(definition: WordsDefinition): readonly Mention<Found>[] | undefined;
  isSanitized?(path: readonly string[], place: Place, repository: Repository): boolean;
  follows?(definition: ValueDefinition): boolean;
  readonly guesses?: true;
  pass?(found: Found, definition: ValueDefinition, context: Context): Found | undefined;
  distinct(found: readonly Found[]): readonly Found[];
}

const MAX_DEPTH = 8;
const MAX_VALUES = 500;

/**
 * Traces values back through `env`, inputs, outputs, matrices, dispatches and scripts. Reads each text once per depth,
 * so that the cost stays linear in the size of the files.
 */
export class ValueTracer<Found> {
  readonly #goal: Goal<Found>;
  readonly #memos: RepositoryMemo<Step | Job, object, readonly Found[]>[] = [];

  constructor(goal: Goal<Found>) {
    this.#goal = goal;
  }

  ofNode(node: ExpressionNode, place: Place, repository: Repository): readonly Found[] {
    return this.#remember(node, place, 0, repository, () =>
      this.#ofMentions(this.#accesses(node, place), place, '', 0, repository),
    );
  }

  ofText(text: Text, place: Place, repository: Repository): readonly Found[] {
    return this.#ofDefinition(textDefinition(text, place), 0, repository);
  }

  ofAccess(access: Access, place: Place, repository: Repository): readonly Found[] {
    return this.#ofMentions([access], place, '', 0, repository);
  }

  ofVariable(name: string, step: Step, repository: Repository): readonly Found[] {
    return this.ofAccess(variableAccess(name), { at: step }, repository);
  }

  ofWord(word: WrittenWord, place: Place & { readonly at: Step }, repository: Repository): readonly Found[] {
    return this.#ofDefinition({ kind: 'words', words: [word], ...place }, 0, repository);
  }

  ofSource(source: ScriptSource, step: Step, repository: Repository): readonly Found[] {
    return this.#ofMentions(this.#mentionsOf(source, { at: step }), { at: step }, '', 0, repository);
  }

  #ofDefinition(definition: TextDefinition | WordsDefinition, depth: number, repository: Repository): readonly Found[] {
    const key = keyOf(definition);
    if (depth > MAX_DEPTH || key === undefined) return [];
    const { kind } = definition;
    return this.#remember(key, definition, depth, repository, () =>
      kind === 'text'
        ? this.#ofText(definition, depth, repository)
        : this.#ofMentions(this.#words(definition), definition, textOf(definition), depth, repository),
    );
  }

  #ofText(definition: TextDefinition, depth: number, repository: Repository): readonly Found[] {
    const accesses = definition.expressions.flatMap(({ node }) =>
      node === undefined ? [] : this.#accesses(node, definition),
    );
    return this.#ofMentions(accesses, definition, definition.text, depth, repository);
  }

  #ofMentions(
    mentions: readonly Mention<Found>[],
    place: Place,
    within: string,
    depth: number,
    repository: Repository,
  ): readonly Found[] {
    const goal = this.#goal;
    const all: Found[] = [];
    let values = 0;
    let single = 0;
    for (const mention of mentions) {
      if ('found' in mention) {
        all.push(mention.found);
        continue;
      }
      const context = { within, fields: ('path' in mention ? mention.fields : undefined) ?? '' };
      for (const definition of this.#definitionsOf(mention, place, repository)) {
        if (definition.maybeReturned === true && goal.guesses !== true) continue;
        if (goal.follows?.(definition) === false) continue;
        const found =
          definition.kind === 'source'
            ? goal.found(definition, repository, context)
            : this.#ofDefinition(definition, depth + 1, repository);
        values += 1 + found.length;
        if (values > MAX_VALUES) return goal.distinct(all);
        if (all.length === 0) single = found.length;
        for (const each of found) {
          const passed = goal.pass === undefined ? each : goal.pass(each, definition, context);
          if (passed !== undefined) all.push(passed);
        }
      }
    }
    return all.length > single ? goal.distinct(all) : all;
  }

  #definitionsOf(
    mention: Exclude<Mention<Found>, { readonly found: Found }>,
    place: Place,
    repository: Repository,
  ): readonly ValueDefinition[] {
    if ('kind' in mention) return [mention];
    return this.#goal.isSanitized?.(mention.path, place, repository) === true
      ? []
      : definitionsOf(mention, place, repository);
  }

  #accesses(node: ExpressionNode, place: Place): readonly Mentioned[] {
    return this.#goal.accesses?.(node, place) ?? flowingAccesses(node);
  }

  #words(definition: WordsDefinition): readonly Mention<Found>[] {
    const own = this.#goal.words?.(definition);
    if (own !== undefined) return own;
    const { words, write, at } = definition;
    const sources =
      write === undefined ? words.flatMap((word) => sourcesOfWord(word, at)) : sourcesOfWrite(write, at, words);
    return sources.flatMap((source) => this.#mentionsOf(source, definition));
  }

  #mentionsOf(source: ScriptSource, place: Place): readonly Mention<Found>[] {
    if (source.checked !== undefined) return [];
    const { caller } = place;
    const at = source.writtenIn ?? place.at;
    switch (source.kind) {
      case 'expression': {
        const { node } = source.expression;
        return node === undefined ? [] : this.#accesses(node, { at, caller });
      }
      case 'variable':
        return [variableAccess(source.name)];
      case 'payload':
        return [{ path: source.path }];
      case 'file':
      case 'query':
        return [{ kind: 'source', source, at, caller }];
    }
  }

  #remember(
    key: object,
    { at, caller }: Place,
    depth: number,
    repository: Repository,
    find: () => readonly Found[],
  ): readonly Found[] {
    const memo = (this.#memos[depth] ??= new RepositoryMemo());
    return memo.get(repository, caller ?? at, key, find);
  }
}

export function variableAccess(name: string): Access {
  return { path: ['env', name.toLowerCase()], variable: name };
}

function textOf({ words }: WordsDefinition): string {
  return words[0]?.value ?? '';
}

/**
 * Returns an object that is identical whenever the same text or words are reached; undefined if they contain nothing.
 */
function keyOf(definition: TextDefinition | WordsDefinition): object | undefined {
  const parts: readonly (Expression | WrittenWord)[] =
    definition.kind === 'text' ? definition.expressions : definition.words;
  return parts.length === 1 ? parts[0] : parts.length === 0 ? undefined : parts;
}

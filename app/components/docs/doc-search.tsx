import { SearchIcon } from '@primer/octicons-react';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { Icon } from '../ui/octicon.tsx';

export const MAX_QUERY = 100;

export function DocSearch({ query = '' }: { readonly query?: string }) {
  return (
    <form method="get" action="/docs/search" role="search" aria-label="Documentation" className="mb-6 flex gap-2">
      <label htmlFor="docs-query" className="sr-only">
        Search the documentation
      </label>
      <Input
        id="docs-query"
        type="search"
        name="q"
        required
        maxLength={MAX_QUERY}
        defaultValue={query}
        placeholder="Search the docs"
        className="min-w-0"
        autoComplete="off"
      />
      <Button type="submit" className="shrink-0 px-3!">
        <Icon of={SearchIcon} />
        <span className="sr-only">Search</span>
      </Button>
    </form>
  );
}

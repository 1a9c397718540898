import { expect, it } from 'vitest';
import { MAX_VIEWS, parseViews } from './views.ts';

it('reads the views that were stored, at most ten', () => {
  const views = Array.from({ length: 12 }, (_, index) => ({ name: `n${index}`, search: `page=${index}` }));
  expect(parseViews(JSON.stringify(views))).toEqual(views.slice(0, MAX_VIEWS));
});

it.each([null, '', '{', '"text"', '{"name":"a"}', '[null, 1, {"name": "", "search": ""}, {"name": "a"}]'])(
  'reads no view from %j',
  (stored) => {
    expect(parseViews(stored)).toEqual([]);
  },
);

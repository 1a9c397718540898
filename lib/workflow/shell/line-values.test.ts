import { expect, it } from 'vitest';
import { valuesIn, withValues } from './line-values.ts';

it('variables that each add up all earlier ones stay short', () => {
  const names = Array.from({ length: 90 }, (_, index) => `v${index}`);
  const sums = names.map((name, index) => `${name} = context.payload.a + ${names.slice(0, index).join('+')}`);
  const values = valuesIn(['file = open(os.environ["GITHUB_EVENT_PATH"])', ...sums].join('\n'));
  expect(values.get('v0')).toContain('context.payload.a');
  expect(withValues(`x = ${names.join('+')}`, values).length).toBeLessThanOrEqual(10_000);
});

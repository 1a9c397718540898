import { z } from 'zod';
import { Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const Repository = z
  .strictObject({
    id: Uuid,
    full_name: z.string(),
    private: z.boolean(),
    html_url: z.string().meta({ format: 'uri' }),
  })
  .meta({ id: 'Repository' });

export type Repository = Shape<typeof Repository>;

import type { z } from 'zod';

export type Shape<Schema extends z.ZodType> = Frozen<z.input<Schema>>;

export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

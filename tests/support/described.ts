import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { RouteAnswer } from './call-route.ts';

export interface DescribedOperation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export function describedBy({ paths, components }: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const validators = new Map<string, ValidateFunction>();

  function validatorOf(schema: object): ValidateFunction {
    const own = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    );
    const validate = validators.get(own) ?? ajv.compile(JSON.parse(own) as object);
    validators.set(own, validate);
    return validate;
  }

  return (path: string, verb: string, { status, headers, text, json }: RouteAnswer): void => {
    const described = paths[path]?.[verb]?.responses[status];
    expect(described, `${verb} ${path}: ${status} ${text.slice(0, 200)}`).toBeDefined();
    expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
    expect(status).not.toBe(500);
    if (status === 204) {
      expect(text).toBe('');
      return;
    }
    const type = headers.get('content-type') ?? '';
    const schema = described?.content?.[type]?.schema;
    expect(schema, `${verb} ${path}: ${type}`).toBeDefined();
    const validate = validatorOf(schema as object);
    expect(validate(type.includes('json') ? json : text), JSON.stringify(validate.errors)).toBe(true);
  };
}

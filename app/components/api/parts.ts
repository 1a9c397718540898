import type { Part, Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

interface ImmutableRequest {
  readonly hasIn: (path: readonly string[]) => boolean;
  readonly setIn: (path: readonly string[], value: string) => ImmutableRequest;
}

const AUTHORIZATION = ['headers', 'Authorization'];

/** Replaces parts of swagger-ui that are hard to use by keyboard or screen reader. */
export function accessibleParts({ React }: System): Plugin {
  const { createElement, useEffect, useRef } = React;

  const Reference: Part = ({ getComponent }) => {
    const get = getComponent as System['getComponent'];
    const parts = [get('errors', true), get('operations', true), get('Models', true)];
    return createElement(
      'div',
      { className: 'swagger-ui' },
      createElement(get('SvgAssets')),
      ...parts.map((part, index) => createElement(part, { key: index })),
    );
  };

  /** The name is inside a button, which must not contain a link. */
  const DeepLink: Part = ({ text }) => createElement('span', null, text as string);

  const Guarded: Part = () => createElement('span', { className: 'guarded' }, 'needs credentials');

  /** Commands to copy must not contain the token. */
  const withoutToken = (Original: Part): Part =>
    function CommandWithoutToken({ request, ...props }) {
      const sent = request as ImmutableRequest;
      const shown = sent.hasIn(AUTHORIZATION) ? sent.setIn(AUTHORIZATION, 'Bearer $TOKEN') : sent;
      return createElement(Original, { ...props, request: shown });
    };

  const labelled = (Original: Part): Part =>
    function LabelledText(props) {
      return createElement(Original, { ...props, 'aria-label': 'Body of the request' });
    };

  const named = (Original: Part): Part =>
    function NamedChoice(props) {
      const { size } = props['examples'] as { readonly size: number };
      if (size < 2) return null;
      const name = createElement('span', { className: 'sr-only' }, 'Example');
      return createElement('label', null, name, createElement(Original, props));
    };

  /** A choice among values has no name of its own; the original passes that of the parameter as its description. */
  const titled = (Original: Part): Part =>
    function TitledField(props) {
      const { description } = props as { readonly description?: unknown };
      const name = createElement(
        'span',
        { className: 'sr-only' },
        typeof description === 'string' ? description : 'Value',
      );
      return createElement('label', null, name, createElement(Original, props));
    };

  /** The original declares an unnamed region role, which hides its cells. */
  const asTable = (Original: Part): Part =>
    function ResponsesAsTable(props) {
      const place = useRef<HTMLDivElement>(null);
      useEffect(() => place.current?.querySelector('.responses-table')?.removeAttribute('role'));
      return createElement('div', { ref: place }, createElement(Original, props));
    };

  return {
    components: { Reference, DeepLink, authorizeOperationBtn: Guarded },
    wrapComponents: {
      TextArea: labelled,
      JsonSchemaForm: titled,
      responses: asTable,
      ExamplesSelect: named,
      curl: withoutToken,
    },
  };
}

import type { Part, Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** What the library keeps of a request, as a map of the immutable package. */
interface ImmutableRequest {
  readonly hasIn: (path: readonly string[]) => boolean;
  readonly setIn: (path: readonly string[], value: string) => ImmutableRequest;
}

const AUTHORIZATION = ['headers', 'Authorization'];

/** Parts of the viewer that its own would make hard to use with a keyboard or a screen reader. */
export function accessibleParts({ React }: System): Plugin {
  const { createElement, useEffect, useRef } = React;

  /** Without a second `main`, and without the title, which stands above. */
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

  /** The name of an operation stands in a button: a link there would be two controls in one. */
  const DeepLink: Part = ({ text }) => createElement('span', null, text as string);

  /** In place of the library’s lock: the token has a field of its own above the operations. */
  const Guarded: Part = () => createElement('span', { className: 'guarded' }, 'needs credentials');

  /** A command to copy or to show to somebody holds no token. */
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

  /** A choice among several examples needs a name; one is no choice. */
  const named = (Original: Part): Part =>
    function NamedChoice(props) {
      const { size } = props['examples'] as { readonly size: number };
      if (size < 2) return null;
      const name = createElement('span', { className: 'sr-only' }, 'Example');
      return createElement('label', null, name, createElement(Original, props));
    };

  /** The table says that it is a region without a name, which also takes its cells from it. */
  const asTable = (Original: Part): Part =>
    function ResponsesAsTable(props) {
      const place = useRef<HTMLDivElement>(null);
      useEffect(() => place.current?.querySelector('.responses-table')?.removeAttribute('role'));
      return createElement('div', { ref: place }, createElement(Original, props));
    };

  return {
    components: { Reference, DeepLink, authorizeOperationBtn: Guarded },
    wrapComponents: { TextArea: labelled, responses: asTable, ExamplesSelect: named, curl: withoutToken },
  };
}

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type { ComponentType } from 'react';

  export interface System {
    readonly React: typeof import('react');
    readonly getComponent: (name: string, connected?: true) => ComponentType<Record<string, unknown>>;
  }

  export type Part = ComponentType<Record<string, unknown>>;

  export interface Plugin {
    readonly components?: Readonly<Record<string, Part>>;
    readonly wrapComponents?: Readonly<Record<string, (original: Part, system: System) => Part>>;
  }

  interface Options {
    readonly spec: unknown;
    readonly domNode: HTMLElement;
    readonly layout?: string;
    readonly plugins?: readonly ((system: System) => Plugin)[];
    readonly requestInterceptor?: (request: { readonly headers: Record<string, string> }) => unknown;
    readonly deepLinking?: boolean;
    readonly docExpansion?: 'list' | 'full' | 'none';
    readonly defaultModelsExpandDepth?: number;
    readonly syntaxHighlight?: boolean;
    readonly validatorUrl?: string | null;
    readonly onComplete?: () => void;
  }

  /** https://github.com/swagger-api/swagger-ui/blob/v5.35.0/docs/usage/configuration.md */
  export default function SwaggerUI(options: Options): void;
}

'use client';

import { useEffect, useRef, useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Field, Input } from '../ui/field.tsx';
import { accessibleParts } from './parts.ts';
import './viewer.css';

interface Props {
  readonly path: string;
  readonly withToken: boolean;
}

export function ApiViewer({ path, withToken }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const token = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    const domNode = place.current;
    if (domNode === null) return;
    const left = new AbortController();
    const readToken = () => token.current?.value.trim() ?? '';
    show({ path, domNode, readToken, left: left.signal, onComplete: () => setState('shown') }).catch(() => {
      if (!left.signal.aborted) setState('failed');
    });
    return () => left.abort();
  }, [path]);
  return (
    <div className="needs-script min-h-[40rem]" aria-busy={state === 'loading'}>
      {withToken && (
        <Field label="Access token" className="mb-6 max-w-xl">
          <Input ref={token} type="password" autoComplete="off" spellCheck={false} aria-describedby="token-hint" />
          <span id="token-hint" className="mt-1.5 block text-sm text-muted">
            The token of a signed-in user, for operations that need one. It is sent with the requests you try here and
            not stored.
          </span>
        </Field>
      )}
      {state === 'loading' && (
        <p role="status" className="text-sm text-muted">
          Loading operations
        </p>
      )}
      {state === 'failed' && (
        <Banner tone="failure" title="Operations could not be loaded" role="alert">
          Reload the page, or read{' '}
          <a className="link" href={path}>
            {' '}
            the OpenAPI document{' '}
          </a>
          .
        </Banner>
      )}
      <div ref={place} />
    </div>
  );
}

interface Showing {
  readonly path: string;
  readonly domNode: HTMLElement;
  readonly readToken: () => string;
  readonly left: AbortSignal;
  readonly onComplete: () => void;
}

async function show({ path, domNode, readToken, left, onComplete }: Showing): Promise<void> {
  const [{ default: SwaggerUI }, response] = await Promise.all([
    import('swagger-ui-dist/swagger-ui-es-bundle.js'),
    fetch(path, { signal: left }),
  ]);
  if (!response.ok) throw new Error(`The document answered with ${response.status}.`);
  const { servers: _, ...document } = (await response.json()) as Record<string, unknown>;
  if (left.aborted) return;
  SwaggerUI({
    spec: document,
    domNode,
    plugins: [accessibleParts],
    layout: 'Reference',
    requestInterceptor(request) {
      const value = readToken();
      if (value !== '') request.headers['Authorization'] = `Bearer ${value}`;
      return request;
    },
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    syntaxHighlight: false,
    validatorUrl: null,
    onComplete,
  });
}

'use client';

import { ThemeProvider as Provider } from 'next-themes';
import type { ReactNode } from 'react';

export function ThemeProvider({ nonce, children }: { readonly nonce: string; readonly children: ReactNode }) {
  return (
    <Provider attribute="data-theme" defaultTheme="system" enableSystem enableColorScheme={false} nonce={nonce}>
      {children}
    </Provider>
  );
}

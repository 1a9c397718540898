import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { pageContext } from '#lib/http/page-context.ts';
import { ThemeProvider } from './components/domain/theme-provider.tsx';
import { mono, sans } from './fonts.ts';
import './globals.css';
import { SITE } from './site.ts';

export async function generateMetadata(): Promise<Metadata> {
  const { env } = pageContext(await headers());
  return {
    metadataBase: new URL(env.webUrl),
    title: { default: SITE.name, template: `%s · ${SITE.name}` },
    description: SITE.description,
    openGraph: { siteName: SITE.name, type: 'website' },
  };
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#0d1117' },
  ],
};

/** Reads the headers so that no page is prerendered: each response has its own nonce. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const { nonce, requestId } = pageContext(await headers());
  return (
    <html lang="en" suppressHydrationWarning className={`${sans.variable} ${mono.variable}`}>
      <body data-request-id={requestId} className="flex min-h-dvh flex-col antialiased">
        <ThemeProvider nonce={nonce}>
          <a
            href="#main"
            className="sr-only focus:not-sr-only focus:absolute focus:start-4 focus:top-2 focus:z-20 focus:bg-page focus:px-3 focus:py-2"
          >
            Skip to content
          </a>
          {children}
        </ThemeProvider>
      </body>
    </html>
  );
}

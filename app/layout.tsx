import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Chainbreak', template: '%s · Chainbreak' },
  description: 'Finds the attack paths in CI workflows and the changes that break them.',
};

export const viewport: Viewport = { colorScheme: 'light dark' };

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  // A nonce is of one answer: no page is rendered ahead.
  await connection();
  return (
    <html lang="en">
      <body>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <header className="bar">
          <a className="brand" href="/">
            Chainbreak
          </a>
          <nav aria-label="Main">
            <a href="/problems">Problems</a>
            <a href="/openapi.json">API</a>
          </nav>
        </header>
        <main id="main">{children}</main>
      </body>
    </html>
  );
}

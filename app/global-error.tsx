'use client';

import './globals.css';

export default function GlobalFailure() {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong</title>
        <main className="mx-auto max-w-3xl px-4 py-12">
          <p className="mb-1 text-sm text-muted">500</p>
          <h1 className="text-xl font-semibold">Something went wrong</h1>
          <p className="mt-3">This is our fault, not yours. Reload the page, or try again later.</p>
        </main>
      </body>
    </html>
  );
}

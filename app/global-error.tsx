'use client';

import './globals.css';

/** Shown when the layout itself failed. */
export default function GlobalFailure() {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong here</title>
        <main className="mx-auto max-w-3xl px-4 py-12">
          <p className="mb-1 text-sm text-muted">500</p>
          <h1 className="text-xl font-semibold">Something went wrong here</h1>
          <p className="mt-3">The page could not be shown; the request was fine. Reload it, or try again later.</p>
        </main>
      </body>
    </html>
  );
}

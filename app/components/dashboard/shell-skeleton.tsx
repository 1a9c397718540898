import { Skeleton } from '../ui/skeleton.tsx';

/** The signed-in pages before the session is known. */
export function ShellSkeleton() {
  return (
    <>
      <div className="h-14 border-b border-line" />
      <main id="main" tabIndex={-1} aria-busy="true" className="needs-script mx-auto w-full max-w-5xl px-4 py-10">
        <h1 className="sr-only">Loading</h1>
        <Skeleton lines={8} />
      </main>
    </>
  );
}

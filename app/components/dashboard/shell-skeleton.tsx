'use client';

import { usePathname } from 'next/navigation';
import { Logo } from '../domain/logo.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { SECTIONS, sectionOf } from './links.ts';
import { sectionClass } from './section-class.ts';

const IN_ORGANIZATION = /^\/o\/./;

export function ShellSkeleton() {
  const pathname = usePathname();
  const current = sectionOf(pathname);
  const isInside = IN_ORGANIZATION.test(pathname);
  return (
    <>
      <div className="needs-script sticky top-0 z-10 border-b border-line bg-page">
        <div className="flex h-14 items-center px-4 text-accent sm:px-6">
          <Logo />
        </div>
      </div>
      <div className="needs-script flex w-full flex-1">
        {isInside && (
          <div aria-hidden="true" className="w-52 shrink-0 border-e border-line py-3 max-md:hidden">
            {SECTIONS.map(({ path, label }) => (
              <p key={path} className={sectionClass(path === current)}>
                {label}
              </p>
            ))}
          </div>
        )}
        <main
          id="main"
          tabIndex={-1}
          aria-busy="true"
          className={isInside ? 'min-w-0 flex-1 px-4 py-6 sm:px-6' : 'mx-auto w-full max-w-3xl px-4 py-10 sm:px-6'}
        >
          <h1 className="sr-only">Loading</h1>
          <Skeleton lines={8} />
        </main>
      </div>
    </>
  );
}

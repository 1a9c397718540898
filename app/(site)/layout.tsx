import type { ReactNode } from 'react';
import { Footer } from '../components/domain/footer.tsx';
import { TopBar } from '../components/domain/top-bar.tsx';

export default function SiteLayout({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <TopBar />
      <main id="main" tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <Footer />
    </>
  );
}

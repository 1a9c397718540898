'use client';

import { SignInButton } from '../session/sign-in-button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export function SessionEnded({ host, onSignIn }: { readonly host: string; readonly onSignIn: () => void }) {
  return (
    <Dialog open title="Your sign-in has ended">
      <p className="mb-4">Sign in again to continue. You will return to this page.</p>
      <SignInButton host={host} onPress={onSignIn} />
    </Dialog>
  );
}

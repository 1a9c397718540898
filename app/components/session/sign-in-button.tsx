'use client';

import { MarkGithubIcon } from '@primer/octicons-react';
import { nameOfHost } from '../../messages.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';

export function SignInButton({ host, onPress }: { readonly host: string; readonly onPress: () => void }) {
  return (
    <>
      <Button variant="primary" className="min-h-11 px-5" onClick={onPress}>
        <Icon of={MarkGithubIcon} />
        {`Continue with ${nameOfHost(host)}`}
      </Button>
      <p className="mt-3 max-w-[70ch] text-sm text-muted">
        Signing in shares your name and email address. It gives no access to repositories: you choose those when you
        install the app.
      </p>
    </>
  );
}

'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ScanReply } from '#lib/http/schemas/repositories.ts';
import { useOrg, useUser } from '../context.tsx';

interface Scan {
  readonly scan: (repoId: string) => Promise<boolean>;
  readonly pending: boolean;
  readonly error: unknown;
}

export function useScan(): Scan {
  const { id, request } = useUser();
  const org = useOrg();
  const client = useQueryClient();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (repoId: string) => request<ScanReply>('/api/scan', { repo_id: repoId }),
    onSuccess: () => client.invalidateQueries({ queryKey: [id, org.id] }),
  });
  const scan = async (repoId: string) =>
    mutateAsync(repoId).then(
      () => true,
      () => false,
    );
  return { scan, pending: isPending, error };
}

'use client';

import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useUser } from './context.tsx';
import { refusedBy } from './request.ts';

interface Options<Reply, Variables> {
  readonly send: (variables: Variables) => Promise<Reply>;
  readonly forgets: readonly QueryKey[];
  readonly onDone?: (reply: Reply, variables: Variables) => void;
}

export function useWrite<Reply, Variables = void>({
  send,
  forgets,
  onDone,
}: Options<Reply, Variables>): UseMutationResult<Reply, Error, Variables> {
  const { id } = useUser();
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (reply, variables) => onDone?.(reply, variables),
    onSettled: (_reply, error) => {
      const role = refusedBy(error).code === 'forbidden' ? [[id, 'orgs']] : [];
      return Promise.all([...forgets, ...role].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

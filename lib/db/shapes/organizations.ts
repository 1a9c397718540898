import { z } from 'zod';
import { Timestamp, Uuid } from './common.ts';
import type { Shape } from './shape.ts';

export const Role = z.enum(['admin', 'member']);

export const Organization = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    personal: z.boolean().meta({ description: 'True for the personal organization, which no one can join or leave' }),
    role: Role.meta({ description: 'Role of the caller' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Organization' });

export const Member = z.strictObject({
  user_id: Uuid,
  email: z.string().nullable().meta({ description: 'From their last token; null without one' }),
  role: Role,
  joined_at: Timestamp,
});

export const MemberRole = z.strictObject({ user_id: Uuid, role: Role }).meta({ id: 'MemberRole' });

export const Invite = z
  .strictObject({
    invite_id: Uuid,
    email: z.string(),
    role: Role,
    org_id: Uuid,
    org_name: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Invite' });

export const PrGate = z
  .strictObject({
    fail_on: z
      .enum(['never', 'critical', 'high', 'medium', 'low', 'info'])
      .meta({ description: 'Fails at this severity or above; `critical` means critical attack paths only' }),
    new_only: z.boolean().meta({ description: 'Counts only findings that the pull request adds' }),
  })
  .meta({ id: 'PrGate' });

export type Role = Shape<typeof Role>;
export type Organization = Shape<typeof Organization>;
export type Member = Shape<typeof Member>;
export type MemberRole = Shape<typeof MemberRole>;
export type Invite = Shape<typeof Invite>;
export type PrGate = Shape<typeof PrGate>;

import { scoreForm } from '#lib/http/score-form.ts';
import { requestAction } from '#lib/services/actions/request.ts';

export const maxDuration = 60;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = scoreForm(requestAction);

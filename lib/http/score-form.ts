import { AppError } from '#lib/errors.ts';
import type { Services } from '#lib/services/context.ts';
import { actionNamed } from '#lib/services/pages/action-directory.ts';
import { pageForm, problemQuery, receiveForm, seeOther } from './page-form.ts';
import { answer, type Handlers, type RequestContext } from './route/respond.ts';

type ScoreAction = (
  services: Services,
  at: { readonly owner: string; readonly name: string },
) => Promise<{ readonly owner: string; readonly name: string } | null>;

/** Handles the form that asks for a score: the same service and rate limit as the API's request. */
export function scoreForm(scoreAction: ScoreAction): Handlers {
  return pageForm('/actions', (request) => {
    let input = '';
    const run = async (context: RequestContext) => {
      await receiveForm(request, context, {
        field: 'action',
        budget: 'action-request',
        rememberInput: (text) => {
          input = text;
        },
      });
      const named = actionNamed(context, input);
      if (named === undefined) throw new AppError('validation-failed', 'This is not the name of a repository.');
      const { owner, name } = (await scoreAction(context, named)) ?? named;
      return seeOther(`/actions/${owner}/${name}`);
    };
    return answer(request, {}, run, (error) => seeOther(`/actions?${problemQuery(error, 'action', input)}`));
  });
}

import type { Metadata } from 'next';
import { PROBLEM_CODES } from '../../lib/errors.ts';
import { PROBLEMS } from '../../lib/http/problem.ts';

export const metadata: Metadata = { title: 'Problems' };

export default function ProblemList() {
  return (
    <>
      <h1>Problems</h1>
      <p>
        Every refusal of the API is a JSON object with a <code>code</code> and a link to its page here.
      </p>
      <table>
        <caption className="muted">Codes and their HTTP status</caption>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {PROBLEM_CODES.map((code) => (
            <tr key={code}>
              <td>
                <a href={`/problems/${code}`}>{code}</a>
              </td>
              <td>{PROBLEMS[code].status}</td>
              <td>{PROBLEMS[code].title}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export const SAMPLE = `name: Greet
on: pull_request_target
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo "Thanks for \${{ github.event.pull_request.title }}"
      - run: npm install
      - run: npm test
        env:
          NODE_ENV: test
`;

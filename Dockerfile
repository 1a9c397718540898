# The command line: docker run --rm --network none -v "$PWD:/src:ro" chainbreak scan
FROM node:24-alpine AS program
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && npm run build:cli

FROM node:24-alpine
COPY --from=program --chmod=0555 /build/dist/chainbreak.mjs /usr/local/bin/chainbreak
COPY --from=program /build/LICENSE /licenses/LICENSE
USER node
WORKDIR /src
ENTRYPOINT ["chainbreak"]
CMD ["scan"]

# The program in a container. Without git: docker build -t gatewright .
# With git, for --base and records in git: docker build -t gatewright:git --target git .

FROM node:24.21.0-trixie-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run single-file

FROM node:24.21.0-trixie-slim AS git
LABEL org.opencontainers.image.title="gatewright, with git" \
      org.opencontainers.image.licenses="Apache-2.0"
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/gatewright.mjs /src/build/LICENSES.txt /opt/gatewright/
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["node", "/opt/gatewright/gatewright.mjs"]
CMD ["--help"]

FROM gcr.io/distroless/nodejs24-debian13:nonroot AS gatewright
LABEL org.opencontainers.image.title="gatewright" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /src/build/gatewright.mjs /src/build/LICENSES.txt /opt/gatewright/
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/nodejs/bin/node", "/opt/gatewright/gatewright.mjs"]
CMD ["--help"]

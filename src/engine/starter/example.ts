import type { StarterFile } from './starter-file.js'

/** A small area that validates as it is, and can be applied to the embedded platform. */
export const exampleStarter: StarterFile = {
  path: 'manifests/example.yaml',
  about: 'an example: a domain, a service with an endpoint, and a package that gives access to it',
  text: `# An example to start from: a domain, a service with one endpoint, and a package that gives access to it.
# yaml-language-server: $schema=../schemas/gatewright.schema.json
apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com} # endpoints may use it, and what ends in it, once it is approved
---
apiVersion: gatewright/v1
kind: Service
metadata:
  name: Orders API # known by its name: no ids in git
  labels: {team: payments} # yours alone, for --label; never sent
spec: # a field is managed if it is written, and left alone if it is not
  description: Order intake and tracking
  qpsLimitOverall: 500
  endpoints: # a written list of children is the whole list
    - name: orders
      requestPathAlias: /orders/v1
      trafficManagerDomain: api.example.com
      publicDomains: [api.example.com]
      systemDomains: [orders.internal.example.com]
      supportedHttpMethods: [get, post]
      methods:
        - name: listOrders
        - name: placeOrder
      # A secret is never written here, only where it comes from:
      # systemDomainAuthentication: {type: httpBasic, username: gateway, password: "\${env:ORDERS_PASSWORD}"}
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: Partner Access}
spec:
  description: For partners who place orders
  plans:
    - name: Gold
      rateLimitCeiling: 100000
      rateLimitPeriod: day
      services:
        - name: Orders API # references are names
          endpoints: [{name: orders, methods: [listOrders]}] # or endpoints: "*"
`,
}

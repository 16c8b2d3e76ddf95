/** The meaning of each key of `plantgate.yaml`. The rule that its value keeps, and its default, come from the schema. */
export const CONFIGURATION_MEANINGS: Readonly<Record<string, string>> = {
  gatewayId:
    'The name under which this gateway sends to a central server. Default: the host name at the first start, which is kept in the data directory (D-63).',
  dataDir: 'The directory of the database. Default: `data` beside the configuration file.',
  plant: 'The plant file. It is applied at the start and whenever it changes, all or nothing.',
  plants:
    'The plants of a central server, each with its own records. `default` is always there, and may be named to give it a name (D-108).',
  'plants[].id': 'The id of the plant, in addresses, keys and views.',
  'plants[].name': 'The name of the plant, for people.',
  http: 'The page, `/api/v1`, `/api/local` and the device endpoints.',
  'http.host': 'The address that the server listens on.',
  'http.port': 'The port that the server listens on.',
  'http.allowedHosts':
    'Host names of this gateway besides its own. Requests for other names get 421. A request for an address is always answered.',
  'http.trustedProxies':
    'Addresses and networks of proxies in front of the gateway, whose `X-Forwarded-For`, `-Proto` and `-Host` count (D-62). Those of other senders are ignored. Never name a network in which clients are.',
  'http.requestsPerSecond':
    'Requests of one API key to `/api/v1`. Bursts of up to five times this number are allowed; more are answered with 429 (D-25). The nodes of a central server count together (D-113). Device endpoints have no such limit.',
  'http.tls': 'HTTPS instead of HTTP.',
  'http.tls.cert': 'The certificate of the server.',
  'http.tls.key': 'The private key of the certificate.',
  page: 'The technician’s page.',
  'page.openAndon':
    'Whether Andon is shown without signing in: everybody who reaches the gateway reads the list of machines and its changes.',
  'page.units':
    'The units that the page shows: feet, inches and pounds, as the interface has them, or metres, millimetres and kilograms (D-45).',
  'page.scanPrefixes':
    'Texts that labels have in front of an id, such as `S` or `COIL:`. A scanned code is looked up as it is, then without them.',
  deviceHttp: 'A second server for the device endpoints alone, on a network of their own. Default: none.',
  'deviceHttp.host': 'The address that this server listens on.',
  'deviceHttp.port': 'The port that this server listens on.',
  mqtt: 'The MQTT broker. `plantgate central` opens it only if this section is named (D-110).',
  'mqtt.host': 'The address that the broker listens on.',
  'mqtt.port': 'The port for MQTT without TLS.',
  'mqtt.tls': 'A second port, with TLS. Default: none.',
  'mqtt.tls.port': 'The port for MQTT with TLS.',
  'mqtt.tls.cert': 'The certificate of the broker.',
  'mqtt.tls.key': 'The private key of the certificate.',
  'mqtt.tls.ca': 'The authority that signed the client certificates.',
  'mqtt.tls.requireClientCertificate': 'Refuse clients that have no certificate of that authority.',
  'mqtt.tls.identity':
    '`cn`: the common name (CN) in a client certificate of that authority is the id of a machine or the name of an MQTT account, which then needs no password. `none`: a certificate names nobody.',
  'mqtt.maxPacketBytes': 'A larger packet closes its connection at once.',
  'mqtt.access':
    '`open`: everybody may connect. `known`: only configured machines, and MQTT accounts with their passwords. `password`: the same, and each machine with its `mqttPassword`.',
  discovery: 'Lets others find the gateway by mDNS, over IPv4.',
  'discovery.enabled':
    'Whether `plantgate.local`, and the services `_http._tcp` and `_mqtt._tcp`, are announced where they listen on a network.',
  'discovery.name': 'The name before `.local`. Where another gateway has it, this one takes `plantgate-2`, and so on.',
  devices: 'How machines are served.',
  'devices.timeoutSeconds': 'A machine that has been silent for longer may not run (rule 3).',
  'devices.maxUpdatesPerSecond': 'Statuses of one machine above this rate wait for the newest one (D-12).',
  'devices.legacyCommandTopics': 'Publish commands on the older topics as well.',
  'devices.minimumStopSeconds': 'A shorter stop is no downtime.',
  shifts: 'The shift calendar.',
  'shifts.timeZone': 'The time zone of the plant. Default: the time zone of the computer.',
  'shifts.shifts': 'The shifts of a day. The start of the first shift begins the shift date.',
  'shifts.shifts[].name': 'The name of the shift.',
  'shifts.shifts[].start': 'The local time at which it starts.',
  'shifts.shifts[].days': 'The weekdays of the shift dates on which it is worked. Default: every day.',
  'shifts.shifts[].breaks':
    'Breaks within the shift. The time in which a machine does not run in a break is a planned stop.',
  'shifts.shifts[].breaks[].start': 'The local time at which the break starts.',
  'shifts.shifts[].breaks[].minutes': 'Its length in minutes.',
  'shifts.daysOff': 'Shift dates on which nothing is planned, such as holidays. Default: none.',
  'shifts.daysOff[].date': 'The shift date.',
  'shifts.daysOff[].name': 'The name of the day, for people.',
  legacyAgent: 'Where coil movements are written before they are made here.',
  'legacyAgent.kind':
    '`none`: operations that move coils are answered with 503. `http`: an agent at `url`. `upstream`: the central server. `simulated`: an agent for trials.',
  'legacyAgent.url': 'The address of the agent, for the kind `http`.',
  'legacyAgent.timeoutSeconds': 'How long the agent may take to answer.',
  upstream: 'The central server. Default: none.',
  'upstream.url': 'The address of the central server.',
  'upstream.apiKey': 'The API key that the central server gave this gateway.',
  'upstream.pollSeconds': 'How often the tables of the central server are read.',
  'upstream.timeoutSeconds':
    'How long the central server may take to answer. A request gets one second more for each 16 KiB of its body.',
  'upstream.enforceSourceStates':
    'Refuse an operation here if the state of its task forbids it (D-14). With `false` the central server decides.',
  storage: 'Records on disk, and how long they are kept.',
  'storage.maxQueueBytes':
    'The queue for the central server. Above it variables are thinned first, then repeated statuses; operations of people never.',
  'storage.variableRetentionDays': 'Older values of variables are deleted.',
  'storage.statusRetentionDays': 'Older stretches of running and standing, overrides and anomalies are deleted.',
  'storage.productionRetentionDays':
    'Older production, downtimes, faults and work sessions are deleted. A downtime that waits for its reason stays.',
  'storage.auditRetentionDays': 'Older entries of who did what are deleted.',
  'storage.postgres':
    'For `plantgate central` alone: what gateways send is kept in PostgreSQL 15 or later, which several nodes share.',
  'storage.postgres.url': 'The address of the database, with the name and password of its owner.',
  'storage.postgres.maxConnections': 'Connections of this node to the database.',
  'storage.postgres.maxGateways': 'Gateways that may send here.',
  'storage.backups':
    'Verified backups, each day by default. Without it none is taken by itself; `plantgate backup FILE` takes one of the running gateway.',
  'storage.backups.directory': 'Where they lie, best on another disk. The service must be able to write there.',
  'storage.backups.keep':
    'The number of backups to keep. After a scheduled backup the oldest are deleted, those taken by hand too.',
  'storage.backups.at':
    'When they are taken, in the time zone of the shifts. One that was missed is taken within an hour ([D-56](decisions.md)).',
  log: 'The log, on standard output.',
  'log.level':
    'The least important level that is logged. With a level above `info` the line `ready`, which has the bound addresses, is not logged.',
};

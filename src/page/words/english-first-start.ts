/** The texts for a gateway that is not set up completely yet. */
export const englishFirstStart = {
  starterReasons: {
    title: 'No reasons for stops are set up',
    why: 'A machine that has stopped waits until a person says why. These ten are usual. Admin → Reasons adds others, and changes or archives any of them.',
    take: 'Use these ten',
    taken: 'Ten reasons are set up',
    takenHint: 'Admin → Reasons changes them.',
    reasons: {
      coilChange: 'Coil change',
      setUp: 'Profile change, set-up',
      jam: 'Material jam',
      tool: 'Tool or blade fault',
      noMaterial: 'No material',
      noOrder: 'No order',
      cleaning: 'Cleaning, maintenance',
      break: 'Break',
      drive: 'Drive fault',
      electrical: 'Electrical fault',
    },
    /** The group of set-ups has this name in every language, because it has a meaning (D-07). */
    groups: { planned: 'Planned', setUp: 'Setup', breakdown: 'Breakdown', waiting: 'Waiting' },
  },
};

const NOT_AUTHENTIC =
  'No authority that this gateway knows has signed it. Give the server one of a public authority, or name the file of its own authority in NODE_EXTRA_CA_CERTS of the gateway.';
const NO_TLS = 'This port speaks no TLS. Type http:// in place of https://, or the port for https.';
const NO_WAY = 'No route leads to this address. Check cable, address and routes of the gateway’s computer.';
const CUT = 'It ended the connection at once. Perhaps this port speaks https, or another program uses it.';
const NO_ANSWER = 'It gave no answer in time. Check address and cable, and firewalls on the way.';
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No program listens at this address and port. Check the port, and whether the server runs.',
  ENOTFOUND: 'Its name is not known in this network. Check the spelling, and the DNS of the gateway’s computer.',
  EAI_AGAIN: 'No DNS server answers. Check the network of the gateway’s computer.',
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  ECONNRESET: CUT,
  UND_ERR_SOCKET: CUT,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_AUTHENTIC,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_AUTHENTIC,
  UNABLE_TO_GET_ISSUER_CERT: NOT_AUTHENTIC,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_AUTHENTIC,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The server does not send the certificates between its own and the authority, or this gateway does not know the authority. Let it send the whole chain, or name the file of the authority in NODE_EXTRA_CA_CERTS of the gateway.',
  CERT_HAS_EXPIRED: 'It has expired. Renew it at the server, or correct the clock of the gateway’s computer.',
  CERT_NOT_YET_VALID: 'It is not valid yet. Correct the clock of the gateway’s computer, or of the server.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'It is for another name. Type the address with a name that the certificate has, or give the server one for this name.',
};

/** A sentence for the code of a fault of a server: the cause, and what to do; '' for a code without one. */
export const serverFault = (code: string): string => FAULTS[code] ?? '';

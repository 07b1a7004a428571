import { describe, expect, test } from 'vitest'
import { isLocalhostName, isPublicAddress } from '../../server/outbound/address.js'

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.215.14',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  '2a00:1450:4001:82a::200e',
  // IPv4-mapped and NAT64 addresses are public if the IPv4 address in them is public.
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
]

const NOT_PUBLIC: readonly (readonly [reason: string, ...addresses: string[]])[] = [
  ['unspecified and "this network" (RFC 1122 §3.2.1.3)', '0.0.0.0', '0.1.2.3', '0.255.255.255', '::'],
  ['loopback (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3)', '127.0.0.1', '127.0.0.2', '127.255.255.255', '::1'],
  [
    'private (RFC 1918)',
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
  ],
  ['link-local and cloud metadata (RFC 3927)', '169.254.0.0', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  ['link-local (RFC 4291 §2.5.6)', 'fe80::', 'fe80::1', 'febf:ffff::1'],
  ['link-local with a zone id (RFC 4007 §11)', 'fe80::1%eth0', 'fe80::1%1'],
  ['a public address with a zone id', '2606:4700::1111%eth0'],
  ['unique local (RFC 4193), cloud metadata among them', 'fc00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
  ['site-local (RFC 3879)', 'fec0::1'],
  ['carrier-grade NAT (RFC 6598)', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['IETF protocol assignments (RFC 6890)', '192.0.0.1', '192.0.0.192'],
  ['documentation (RFC 5737)', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
  ['documentation (RFC 3849, RFC 9637)', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  ['benchmarking (RFC 2544, RFC 5180)', '198.18.0.0', '198.19.255.255', '2001:2::1'],
  ['6to4 relays (RFC 7526)', '192.88.99.1'],
  ['multicast (RFC 5771, RFC 4291 §2.7)', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['reserved and broadcast (RFC 1112, RFC 919)', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  [
    'AS112 and AMT (RFC 7534, RFC 7450)',
    '192.31.196.1',
    '192.175.48.1',
    '192.52.193.1',
    '2620:4f:8000::1',
    '2001:3::1',
  ],
  [
    'IPv4-mapped private (RFC 4291 §2.5.5.2)',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
  ],
  ['IPv4-compatible (RFC 4291 §2.5.5.1)', '::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  ['IPv4-translated (RFC 2765 §2.1)', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  ['NAT64 of a private address (RFC 6052 §2.1)', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::169.254.169.254'],
  ['NAT64 for local use (RFC 8215)', '64:ff9b:1::1', '64:ff9b:1::808:808'],
  ['6to4 (RFC 3056)', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  ['Teredo (RFC 4380)', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ORCHIDv2 (RFC 7343)', '2001:20::1'],
  ['discard-only (RFC 6666)', '100::1'],
  ['segment routing (RFC 9602)', '5f00::1'],
  ['outside global unicast (RFC 4291 §2.4)', '4000::1', '8000::1', 'e000::1'],
  ['a cloud host agent on a public address', '168.63.129.16', '::ffff:168.63.129.16'],
  [
    'no canonical address',
    '',
    'example.com',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '[::1]',
    '8.8.8.8:80',
    ' 8.8.8.8',
  ],
]

describe('an address is public', () => {
  test.each(PUBLIC)('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('an address is not public', () => {
  test.each(NOT_PUBLIC)('%s', (_reason, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

describe('names of the machine itself (RFC 6761 §6.3)', () => {
  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.'])('%s', (name) => {
    expect(isLocalhostName(name)).toBe(true)
  })

  test.each(['localhost.example', 'mylocalhost', 'example'])('not %s', (name) => {
    expect(isLocalhostName(name)).toBe(false)
  })
})

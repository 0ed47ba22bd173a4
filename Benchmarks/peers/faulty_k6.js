// What `wsx bench -c 50 -r 2000 -d 10s --reply-timeout 1s --threshold 'p99<20ms' URL` measures, as far as a script can.
// k6 itself knows neither lost nor altered replies, so the script has to notice them.

import { check } from 'k6'
import { Counter, Trend } from 'k6/metrics'
import ws from 'k6/ws'

const latency = new Trend('latency', true)
const lost = new Counter('lost')

export const options = {
  scenarios: { echo: { executor: 'per-vu-iterations', vus: 50, iterations: 1, maxDuration: '20s' } },
  thresholds: { latency: ['p(99)<20'], checks: ['rate==1'], lost: ['count==0'] },
}

export default function () {
  const response = ws.connect(__ENV.URL, {}, socket => {
    let number = 0
    let time = 0
    const text = () => `message ${__VU} ${number}`
    const send = () => {
      number++
      time = Date.now()
      socket.send(text())
    }
    socket.on('open', () => {
      send()
      socket.setInterval(() => {
        if (Date.now() - time < 1000) return
        lost.add(1)
        send()
      }, 200)
      socket.setTimeout(() => socket.close(), 10000)
    })
    socket.on('message', reply => {
      latency.add(Date.now() - time)
      check(reply, { 'reply is the message': value => value === text() })
      socket.setTimeout(send, 20)
    })
    socket.on('error', error => console.log(error.error()))
  })
  check(response, { 'status is 101': value => value && value.status === 101 })
}

"""An independent UART (cocotbext-uart) at the pins of a board's top: what it sends comes back, on the
link and on the console's pin, though its own clock is off by as much as a UART must bear."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotbext.uart import UartSink, UartSource

BAUD = int(os.environ["LOOKBACK_BAUD"])
# Half a period, rounded: to a millionth of it.
HALF_PERIOD_FS = round(10**15 / int(os.environ["LOOKBACK_CLOCK_HZ"]) / 2)
BYTES = 64


async def echo(dut, error):
    """Sends at a rate that is off by `error` and receives at the same one."""
    cocotb.start_soon(Clock(dut.clk, 2 * HALF_PERIOD_FS, unit="fs").start())
    if hasattr(dut, "button"):
        dut.button.value = int(os.environ["LOOKBACK_BUTTON_RELEASED"])
    rate = round(BAUD * (1 + error))
    source = UartSource(dut.rx, baud=rate, bits=8)
    sinks = [UartSink(pin, baud=rate, bits=8) for pin in (dut.tx, dut.console_tx)]
    # Longer than a reset, with a program being copied into its RAM.
    await Timer(250, unit="us")
    bytes_sent = random.Random(rate).randbytes(BYTES)
    # Extremes: all bits alike, and alternating.
    bytes_sent += bytes([0x00, 0xFF, 0x55, 0xAA])
    for byte in bytes_sent:
        await source.write(bytes([byte]))
        await source.wait()
        # A sender that is faster than the echo must not outrun it.
        await Timer(2 * 10**9 // BAUD, unit="ns")
    await Timer(20 * 10**9 // BAUD, unit="ns")
    return bytes_sent, {"tx": sinks[0].read_nowait(), "console_tx": sinks[1].read_nowait()}


async def comes_back(dut, error):
    sent, came = await echo(dut, error)
    for name, received in came.items():
        assert bytes(received) == sent, f"{name} at {error:+.1%}: {received.hex()} for {sent.hex()}"


@cocotb.test()
async def exact(dut):
    await comes_back(dut, 0.0)


@cocotb.test()
async def fast(dut):
    await comes_back(dut, 0.02)


@cocotb.test()
async def slow(dut):
    await comes_back(dut, -0.02)


@cocotb.test()
async def too_fast(dut):
    """A rate that no UART can bear: this check can fail."""
    sent, came = await echo(dut, 0.08)
    assert bytes(came["tx"]) != sent

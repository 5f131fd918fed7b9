//! The blocks of `hdl/src/drain`.

mod command;
mod framer;
mod offsets;
mod registers;
mod ring;
mod serial;
mod stored;
mod whole;

use super::registry::Block;
use crate::block;
use lookback_hdl::drain::{
    Command, Control, Drain, DrainCore, Framer, LogRing, Message, Preset, RegisterBits, StreamSum,
    UartRx, UartTx, Window,
};

pub use serial::{frame as frame_bits, speed, Sent};

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("command", command::Commands, 80; Command:
        clock; in reset bit_valid bit_data byte_valid byte_data next_bit hold;
        out fire write register value),
    block!("drain", whole::Recordings<false>, 20; Drain<9> = Drain::new(registers::IDENTITY);
        clock; in reset byte_valid byte_data byte_last log_rx bit_clocks recording ended end_reason
            triggered fired lost_any retired_lo retired_hi cycles_lo cycles_hi stalls_lo stalls_hi lost_lo
            lost_hi run_code board_bit;
        out byte_ready cut log_tx enable may_stall trigger_on_trap interval count_bits image_lo image_hi
            post_trigger key watch watch_lo watch_hi order_mode board_fire board_write board_register board_value board_index),
    block!("drain-core", whole::Recordings<true>, 24; DrainCore<9> = DrainCore::new(registers::IDENTITY);
        clock; in reset byte_valid byte_data byte_last tx_ready rx_bit_valid rx_bit_data
            rx_byte_valid rx_byte_data strapped clock_hz mem_base mem_mask poke ask bus_register
            bus_value breached breach_rule breach_at breach_pc breach_insn breach_want breach_got
            recording ended end_reason triggered fired lost_any retired_lo retired_hi cycles_lo cycles_hi
            stalls_lo stalls_hi lost_lo lost_hi run_code board_bit;
        out byte_ready cut tx_valid tx_data quiet status control_word enable may_stall trigger_on_trap
            interval count_bits image_lo image_hi post_trigger key watch watch_lo watch_hi order_mode
            board_fire board_write board_register board_value board_index),
    block!("drain-control", registers::Registers, 60; Control = Control::new(registers::IDENTITY);
        clock; in reset write register value pick setting number index status retired_lo retired_hi
            cycles_lo cycles_hi stalls_lo stalls_hi lost_lo lost_hi run_code
            breach_rule breach_at breach_pc breach_insn breach_want breach_got;
        out copying word stored_bit control interval count_bits image_lo image_hi post_trigger key
            watch watch_lo watch_hi order_mode),
    block!("framer", framer::Frames, 60; Framer:
        clock; in reset pause placed piece_ready piece_first piece_last piece_data piece_more
            reply_ready end_ready message_data message_more tx_ready;
        out idle piece_start piece_take message_start message_end message_bit message_take
            message_shift piece_shift piece_bit byte_begin tx_valid tx_data),
    block!("framer-luts", framer::Frames, 20; Framer = Framer::default().of_luts();
        clock; in reset pause placed piece_ready piece_first piece_last piece_data piece_more
            reply_ready end_ready message_data message_more tx_ready;
        out idle piece_start piece_take message_start message_end message_bit message_take
            message_shift piece_shift piece_bit byte_begin tx_valid tx_data),
    block!("log-ring", ring::Ring, 60; LogRing<9>:
        clock; in reset clear hold groups byte_valid byte_data byte_last piece_start piece_take keep
            value acknowledge again which index used;
        out cut byte_ready piece_ready piece_first piece_last piece_data piece_more empty dropping
            repeated fresh offset_bit),
    block!("message", registers::Messages, 60; Message:
        clock; in reset clear fire register write breached ended end_reason repeated start start_end
            start_place bit_index take word stored_bit;
        out obey set_kept set_sent reply_ready end_due end_sent data more pick setting number index
            link which link_bit board),
    block!("preset", stored::Register, 10; Preset<5> = Preset::new(9);
        clock; in d; out q),
    block!("register-bits", stored::Bits, 20;
        RegisterBits = RegisterBits::new(stored::INITIAL);
        clock; in read_address write_enable write_address write_data; out read_data),
    block!("register-bits-luts", stored::Bits, 20;
        RegisterBits = RegisterBits::new(stored::INITIAL).of_luts();
        clock; in read_address write_enable write_address write_data; out read_data),
    block!("stream-sum", offsets::Sum, 40; StreamSum:
        clock; in clear starts fresh shift data turn; out out),
    block!("window", offsets::Offsets, 60; Window<9>:
        clock; in clear keep take drop value acknowledge again written look which index used;
        out kept sent moved repeated fresh released old offset_bit),
    block!("uart-tx", serial::Sent, 60; UartTx:
        clock; in reset bit_clocks valid data; out ready line),
    block!("uart-rx", serial::Received, 60; UartRx:
        clock; in reset bit_clocks line; out bit_valid bit_data byte_valid byte_data),
];

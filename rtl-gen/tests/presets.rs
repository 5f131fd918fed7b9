//! Every preset, through every guard. The recorded manifests hold ports and sizes, not the
//! checksum, which changes with each change of a circuit.

use lookback_rtl_gen::{find, presets, verilator_lint, Error};

#[test]
fn every_preset_is_the_same_every_time_and_flat() {
    for preset in presets() {
        let first = preset.generate().unwrap();
        let second = preset.generate().unwrap();
        assert_eq!(first.verilog, second.verilog, "{}", preset.name);
        let manifest = preset.manifest(&first).to_json();
        assert_eq!(manifest, preset.manifest(&second).to_json());
        assert!(first.ports.iter().all(|port| !port.name.contains('$')));
        assert!(first.verilog.contains(&format!("module {}(", preset.top())));
        let checksum = preset.manifest(&first).sha256;
        insta::assert_snapshot!(preset.name, manifest.replace(&checksum, "(checksum)"));
    }
}

#[test]
fn verilator_accepts_every_preset() {
    for preset in presets() {
        let design = preset.generate().unwrap();
        match verilator_lint(&design.verilog, &design.top) {
            Ok(report) => println!("{}: {} notes", preset.name, report.notes.len()),
            Err(error @ Error::NoVerilator { .. }) => eprintln!("skipped: {error}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn an_unknown_preset_is_answered_with_the_known_ones() {
    let Err(error) = find("sim-sock") else {
        panic!("there is no such preset")
    };
    let message = error.to_string();
    for preset in presets() {
        assert!(message.contains(preset.name), "{message}");
    }
}

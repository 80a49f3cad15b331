//! A drag source of the XDND protocol, version 5.

use super::display::{Display, wait_for};
use std::path::Path;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ConnectionExt, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, Window,
    WindowClass,
};

/// Drops files on a window and waits until it accepts them.
pub(crate) fn drop_on(display: &Display, target: Window, files: &[&Path]) {
    let connection = &display.connection;
    let source = connection.generate_id().unwrap();
    let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    connection.create_window(0, source, display.root, 0, 0, 1, 1, 0, class, 0, &aux).unwrap().check().unwrap();
    let (selection, uri_list) = (display.atom("XdndSelection"), display.atom("text/uri-list"));
    connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    let list: String = files.iter().map(|file| format!("file://{}\r\n", file.display())).collect();

    display.send(target, "XdndEnter", [source, 5 << 24, uri_list, 0, 0]);
    display.send(
        target,
        "XdndPosition",
        [source, 0, 100 << 16 | 100, x11rb::CURRENT_TIME, display.atom("XdndActionCopy")],
    );
    // The window requests the list, receives it, and accepts the files.
    let (mut requested, mut accepted) = (false, false);
    wait_for("the window takes what is dragged over it", || {
        match connection.poll_for_event().unwrap()? {
            Event::SelectionRequest(request) => {
                let (property, requestor) = (request.property, request.requestor);
                let bytes = list.as_bytes();
                let length = bytes.len() as u32;
                connection
                    .change_property(PropMode::REPLACE, requestor, property, uri_list, 8, length, bytes)
                    .unwrap()
                    .check()
                    .unwrap();
                let answer = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: request.time,
                    requestor,
                    selection: request.selection,
                    target: request.target,
                    property,
                };
                connection.send_event(false, requestor, EventMask::NO_EVENT, answer).unwrap().check().unwrap();
                requested = true;
            }
            Event::ClientMessage(message) if message.type_ == display.atom("XdndStatus") => {
                assert_eq!(message.data.as_data32()[1] & 1, 1, "the window does not want the files");
                accepted = true;
            }
            _ => {}
        }
        (requested && accepted).then_some(())
    });
    display.send(target, "XdndDrop", [source, 0, x11rb::CURRENT_TIME, 0, 0]);
    wait_for("the window has taken the files", || match connection.poll_for_event().unwrap()? {
        Event::ClientMessage(message) if message.type_ == display.atom("XdndFinished") => Some(()),
        _ => None,
    });
    connection.destroy_window(source).unwrap().check().unwrap();
}

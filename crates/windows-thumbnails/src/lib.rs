//! Thumbnail provider for the Explorer of Windows: a COM class in a DLL beside `rigview.exe`.
//!
//! Explorer loads the DLL into a host process and passes the file as a stream. The DLL pipes it through
//! `rigview.exe thumbnail - -`, so that a crash ends that process and not the host.

#![cfg(windows)]
// COM passes raw pointers.
#![allow(unsafe_code)]

mod bitmap;
mod job;
mod program;

use std::cell::OnceCell;
use std::ffi::c_void;
use windows::Win32::Foundation::{
    CLASS_E_CLASSNOTAVAILABLE, CLASS_E_NOAGGREGATION, E_POINTER, E_UNEXPECTED, ERROR_ALREADY_INITIALIZED, S_FALSE,
};
use windows::Win32::Graphics::Gdi::HBITMAP;
use windows::Win32::System::Com::{IClassFactory, IClassFactory_Impl, IStream};
use windows::Win32::UI::Shell::PropertiesSystem::{IInitializeWithStream, IInitializeWithStream_Impl};
use windows::Win32::UI::Shell::{IThumbnailProvider, IThumbnailProvider_Impl, WTS_ALPHATYPE, WTSAT_ARGB};
use windows::core::{BOOL, GUID, HRESULT, IUnknown, Interface as _, Ref, Result, implement};

/// CLSID of the provider. packaging/windows has it, too.
const PROVIDER: GUID = GUID::from_u128(0x9d2b6c0e_5f1a_4c38_8a77_3e1f60b4d925);

/// A file, whose stream `Initialize` sets.
#[implement(IThumbnailProvider, IInitializeWithStream)]
#[derive(Default)]
struct Provider {
    stream: OnceCell<IStream>,
}

impl IInitializeWithStream_Impl for Provider_Impl {
    fn Initialize(&self, stream: Ref<'_, IStream>, _mode: u32) -> Result<()> {
        self.stream.set(stream.ok()?.clone()).map_err(|_| ERROR_ALREADY_INITIALIZED.into())
    }
}

impl IThumbnailProvider_Impl for Provider_Impl {
    fn GetThumbnail(&self, size: u32, bitmap: *mut HBITMAP, alpha: *mut WTS_ALPHATYPE) -> Result<()> {
        if bitmap.is_null() || alpha.is_null() {
            return Err(E_POINTER.into());
        }
        let png = program::thumbnail(self.stream.get().ok_or(E_UNEXPECTED)?, size)?;
        let image = bitmap::from_png(&png)?;
        // SAFETY: both pointers are those of the caller's variables, and not null.
        unsafe {
            *bitmap = image;
            *alpha = WTSAT_ARGB;
        }
        Ok(())
    }
}

#[implement(IClassFactory)]
struct Factory;

impl IClassFactory_Impl for Factory_Impl {
    fn CreateInstance(&self, outer: Ref<'_, IUnknown>, interface: *const GUID, object: *mut *mut c_void) -> Result<()> {
        if outer.is_some() {
            return Err(CLASS_E_NOAGGREGATION.into());
        }
        // SAFETY: the pointers are those of the caller's variables.
        unsafe { IUnknown::from(Provider::default()).query(interface, object).ok() }
    }

    fn LockServer(&self, _lock: BOOL) -> Result<()> {
        Ok(())
    }
}

/// Returns the class factory of the provider.
///
/// # Safety
/// The pointers are valid, as COM guarantees.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "system" fn DllGetClassObject(
    class: *const GUID,
    interface: *const GUID,
    object: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        match *class == PROVIDER {
            true => IUnknown::from(Factory).query(interface, object),
            false => CLASS_E_CLASSNOTAVAILABLE,
        }
    }
}

/// Keeps the DLL loaded until the host ends, which it does when it is idle.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "system" fn DllCanUnloadNow() -> HRESULT {
    S_FALSE
}

//! Job object: limits of a process.

use std::io::Result;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Child;
use windows::Win32::Foundation::HANDLE;
use windows::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows::core::PCWSTR;

/// A job object. Its process ends with it.
pub(crate) struct Job(OwnedHandle);

impl Job {
    /// Limits the memory of `process`.
    pub(crate) fn new(process: &Child, memory_bytes: usize) -> Result<Self> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limits.ProcessMemoryLimit = memory_bytes;
        // SAFETY: the handles are open, and the size is that of the limits.
        unsafe {
            let job = Self(OwnedHandle::from_raw_handle(CreateJobObjectW(None, PCWSTR::null())?.0));
            let size = size_of_val(&limits) as u32;
            let limits = (&raw const limits).cast();
            SetInformationJobObject(job.handle(), JobObjectExtendedLimitInformation, limits, size)?;
            AssignProcessToJobObject(job.handle(), HANDLE(process.as_raw_handle()))?;
            Ok(job)
        }
    }

    fn handle(&self) -> HANDLE {
        HANDLE(self.0.as_raw_handle())
    }

    /// Ends the process.
    pub(crate) fn terminate(&self) {
        // SAFETY: the handle is open. The process may have ended already.
        let _ = unsafe { TerminateJobObject(self.handle(), 1) };
    }
}
